/** The records that decided, by name, as the service tells them. */
export const Evidence = ({ of }: { of: Record<string, unknown> }) => {
  const facts = Object.entries(of).filter(([, value]) => value !== null);
  if (facts.length === 0) return null;
  return (
    <code className="block text-quiet">
      {facts
        .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')}
    </code>
  );
};
