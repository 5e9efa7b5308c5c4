#!/usr/bin/env python3
"""Django's command line, as `django-admin startproject` makes it."""

import os
import sys

from django.core.management import execute_from_command_line

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "guestbook.settings")
execute_from_command_line(sys.argv)
