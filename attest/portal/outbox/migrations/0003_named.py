from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("outbox", "0002_withdrawn"),
    ]

    operations = [
        migrations.AddField(
            model_name="lookedat",
            name="named",
            field=models.CharField(blank=True, max_length=200),
        ),
    ]
