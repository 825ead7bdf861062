package dev.tutti.core.settings;

/** A configuration can't be used; the message states the problem, its place and a valid value. */
public final class SettingException extends IllegalArgumentException {

    private static final long serialVersionUID = 1;

    public SettingException(String message) {
        super(message);
    }

    public SettingException(String message, Throwable cause) {
        super(message, cause);
    }
}
