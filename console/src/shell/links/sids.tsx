// What a SID names, and the page that shows it.
import type { Can, OperationId } from '../../api/can.ts';
import { useWorkspace, type Workspace } from '../workspace.tsx';
import { PlainLink } from './row-link.tsx';

type Shown = { at: string; by: OperationId };

/** By the two letters a SID begins with; the last word of an address stands for the SID. */
const pagesOfSids: Readonly<Record<string, Shown>> = {
  AP: { at: 'approvals/$approval', by: 'getApproval' },
  CT: { at: 'contacts/$contact', by: 'getContact' },
  FL: { at: 'flows/$flow', by: 'getFlow' },
  HX: { at: 'contents/$content', by: 'getContent' },
  ME: { at: 'media/$media', by: 'getMedia' },
  OP: { at: 'operations/$operation', by: 'getOperation' },
  SG: { at: 'segments/$segment', by: 'getSegment' },
  SM: { at: 'messages/$message', by: 'getMessage' },
  SP: { at: 'pools/$pool', by: 'getSenderPool' },
  TM: { at: 'templates/$template', by: 'getTemplate' },
  WA: { at: 'senders/$sender', by: 'getSender' },
  WB: { at: 'wabas/$waba', by: 'getWaba' },
  WH: { at: 'webhooks/$endpoint', by: 'getWebhook' },
};

/** Where something is shown to whoever may read it; null for everything else. */
export function pageOfSid(text: string, { can, here }: { can: Can; here: Workspace['here'] }) {
  const [sid, letters] = /^([A-Z]{2})[0-9A-HJKMNP-TV-Z]{26}$/.exec(text) ?? [];
  const shown = letters && pagesOfSids[letters];
  if (!sid || !shown || !can(shown.by)) return null;
  const { at } = shown;
  const params = { ...here, [at.slice(at.indexOf('$') + 1)]: sid };
  return { to: `/$environment/$account/${at}`, params };
}

type Props = {
  text: string;
  /** What is shown of it; itself otherwise. */
  children?: string;
  onOpen?(): void;
};

/** A SID that leads to what it names, where there is a page for it; any other text as it is. */
export function SidLink({ text, children = text, onOpen }: Props) {
  const page = pageOfSid(text, useWorkspace());
  if (!page) return children;
  return (
    <PlainLink {...page} className="text-accent underline" onClick={onOpen}>
      {children}
    </PlainLink>
  );
}
