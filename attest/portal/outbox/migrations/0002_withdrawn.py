from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0001_first"),
    ]

    operations = [
        migrations.AlterField(
            model_name="outgoingscore",
            name="state",
            field=models.CharField(
                choices=[
                    ("waiting", "to be sent"),
                    ("held", "held back"),
                    ("sent", "there"),
                    ("refused", "refused"),
                    ("withdrawn", "not to be there any more"),
                ],
                default="waiting",
                max_length=20,
            ),
        ),
    ]
