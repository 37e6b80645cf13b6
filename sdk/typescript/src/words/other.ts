/** A word that came to the service after this version of the SDK: it passes, and editors still offer those that are known. */
export type Other = string & Record<never, never>;
