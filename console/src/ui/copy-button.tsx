import { Button } from './button.tsx';

/** Nothing where the browser lends no clipboard, as it does to pages that came over an open line. */
export const CopyButton = ({ label, text, className }: { label: string; text: string; className?: string }) =>
  'clipboard' in navigator && (
    <Button className={className} onClick={() => navigator.clipboard.writeText(text)}>
      {label}
    </Button>
  );
