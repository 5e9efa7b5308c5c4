package dev.handoff.admin.api;

/** Why the admin server does not let a call in, whatever it asks for. */
public enum CallRefusal {
    /** It bears no token, as the dashboard's page before somebody enters it. */
    NO_TOKEN,
    WRONG_TOKEN,
    /** Without a token to ask for: for a name that is not this machine's. */
    UNKNOWN_HOST,
    /** A page of another origin wants to change something. */
    CROSS_ORIGIN,
    /** Without a token to ask for: another user of this machine wants to change something. */
    OTHER_USER,
    /** It has a body that a form of another site could send. */
    NOT_JSON
}
