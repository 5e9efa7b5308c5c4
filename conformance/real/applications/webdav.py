"""WsgiDAV over a folder, for whoever comes."""

import os

from wsgidav.wsgidav_app import WsgiDAVApp

app = WsgiDAVApp(
    {
        "provider_mapping": {"/": os.environ["WEBDAV_FOLDER"]},
        "simple_dc": {"user_mapping": {"*": True}},
        "lock_storage": True,
        "property_manager": True,
        "verbose": 1,
        "logging": {"enable": False},
    }
)
