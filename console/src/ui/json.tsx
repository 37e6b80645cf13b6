/** Something as the service tells it. */
export const Json = ({ value }: { value: unknown }) => (
  <pre className="mt-3 rounded-md bg-soft p-3 text-sm whitespace-pre-wrap wrap-anywhere">
    {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
  </pre>
);
