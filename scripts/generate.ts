// Everything in the repository that follows from something else in it. With --check nothing is written, and what is not
// current fails.
await import('./generate-schema.ts');
await import('./generate-roles.ts');
await import('./generate-provider-errors.ts');
await import('./generate-error-codes.ts');
await import('./generate-openapi.ts');
await import('./generate-events.ts');
await import('./generate-personal-data.ts');
await import('./generate-sdk/main.ts');
