const mostNamed = 5;

/** Several failures as one, or nothing if there are none. Its message names them: few who print an error print what is inside. */
export function throwTogether(told: string, failures: unknown[]): void {
  if (failures.length === 0) return;
  const named = failures
    .slice(0, mostNamed)
    .map((failure) => (failure instanceof Error ? failure.message : String(failure)));
  if (failures.length > mostNamed) named.push(`${failures.length - mostNamed} more`);
  throw new AggregateError(failures, `${told}: ${named.join('; ')}`);
}
