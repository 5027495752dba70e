from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("courses", "0001_first"),
    ]

    operations = [
        migrations.AlterField(
            model_name="courseassignment",
            name="counts",
            field=models.CharField(
                choices=[
                    ("best", "the best attempt"),
                    ("last", "the last attempt"),
                    ("first", "the first attempt"),
                ],
                default="best",
                max_length=20,
            ),
        ),
    ]
