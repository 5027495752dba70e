# Keeps a database in a file, with a journal and with a write-ahead log.
import sqlite3


def f():
    for mode in ("delete", "wal"):
        with sqlite3.connect("losses.db") as database:
            database.execute(f"pragma journal_mode={mode}")
            database.execute("create table if not exists losses (step, loss)")
            database.execute("insert into losses values (1, 0.5)")
        database.close()
    with sqlite3.connect("losses.db") as database:
        return database.execute("select count(*) from losses").fetchone()[0] == 2
