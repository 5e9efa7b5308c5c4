package dev.handoff.admin;

import dev.handoff.admin.api.CallListener;
import dev.handoff.server.ServerListener;

/** Hears what goes wrong between the admin server and its clients, on its loop. */
public interface AdminListener extends ServerListener, CallListener {}
