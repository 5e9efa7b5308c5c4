package dev.handoff.admin.api;

/** Why the admin server does not let a call in, whatever it asks for. */
public enum CallRefusal {
    /** It bears no token. The dashboard calls so until somebody enters one. */
    NO_TOKEN,
    WRONG_TOKEN,
    /** No token is set, and the Host field does not name this machine. */
    UNKNOWN_HOST,
    /** A page of another origin wants to change something. */
    CROSS_ORIGIN,
    /** No token is set, and another user of this machine wants to change something. */
    OTHER_USER,
    /** It has a body that a form of another site could send. */
    NOT_JSON
}
