package dev.handoff.admin.api;

import dev.handoff.http.Request;
import java.util.concurrent.Executor;

/**
 * A request for an {@link Endpoint}.
 *
 * @param name the value of the name in the endpoint's path; empty if the path has none
 * @param authorised whether the caller may know all: it bears the token, or none is needed
 * @param loop the loop of the admin server: long work, such as writing JSON, belongs there, and not
 *     on the loop that was asked
 */
public record Call(Request request, String name, Query query, boolean authorised, Executor loop) {}
