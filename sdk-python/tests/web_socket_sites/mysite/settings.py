"""The settings of the Channels tutorial that its chat needs."""

SECRET_KEY = "of a test"
DEBUG = True
ALLOWED_HOSTS = ["*"]
INSTALLED_APPS = ["channels", "chat"]
ROOT_URLCONF = "mysite.urls"
ASGI_APPLICATION = "mysite.asgi.application"
CHANNEL_LAYERS = {"default": {"BACKEND": "channels.layers.InMemoryChannelLayer"}}
