declare module '../../platform/ports.ts' {
  interface Site {
    /** The version of the terms under which the operator pays the provider for an account; null where it does not. */
    partnerTerms: { live: string | null; sandbox: string };
  }
}

export {};
