from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    operations = (
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("author", models.CharField(max_length=100)),
                ("text", models.TextField(max_length=2000)),
                ("written", models.DateTimeField(auto_now_add=True)),
            ],
            options={"ordering": ("-written", "-pk")},
        ),
    )
