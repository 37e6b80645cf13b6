// The pages, in the order of the menu: what each asks for, and the letter that leads to it after `g`.
import type { OperationId } from '../api/can.ts';
import type { Words } from '../words/en.ts';

type PeoplePath = `/$environment/$account/${'contact-files' | 'proofs' | 'segments' | 'merges'}`;

export type PageEntry = {
  name: keyof Words['pages'];
  path:
    | PeoplePath
    | '/$environment/$account'
    | `/$environment/$account/${'messages' | 'contacts' | 'webhooks' | 'events' | 'keys' | 'operations' | 'approvals'}`
    | `/$environment/$account/${'templates' | 'senders' | 'pools' | 'wabas' | 'portfolios' | 'media' | 'contents' | 'flows'}`;
  letter: string;
  /** Whoever may call one of these sees the page; everybody does where none is named. */
  anyOf: readonly OperationId[];
};

export const pages: readonly PageEntry[] = [
  { name: 'home', path: '/$environment/$account', letter: 'h', anyOf: [] },
  {
    name: 'messages',
    path: '/$environment/$account/messages',
    letter: 'm',
    anyOf: ['listMessages', 'sendMessage'],
  },
  { name: 'contacts', path: '/$environment/$account/contacts', letter: 'c', anyOf: ['listContacts'] },
  { name: 'segments', path: '/$environment/$account/segments', letter: 'g', anyOf: ['listSegments'] },
  {
    name: 'merges',
    path: '/$environment/$account/merges',
    letter: 'j',
    anyOf: ['listContactMerges', 'listContactConflicts'],
  },
  {
    name: 'files',
    path: '/$environment/$account/contact-files',
    letter: 'i',
    anyOf: ['importContacts', 'exportContacts'],
  },
  { name: 'proofs', path: '/$environment/$account/proofs', letter: 'v', anyOf: ['certifyConsents'] },
  { name: 'templates', path: '/$environment/$account/templates', letter: 't', anyOf: ['listTemplates'] },
  { name: 'media', path: '/$environment/$account/media', letter: 'd', anyOf: ['listMedia'] },
  { name: 'contents', path: '/$environment/$account/contents', letter: 'r', anyOf: ['listContents'] },
  { name: 'flows', path: '/$environment/$account/flows', letter: 'f', anyOf: ['listFlows'] },
  { name: 'senders', path: '/$environment/$account/senders', letter: 's', anyOf: ['listSenders'] },
  { name: 'pools', path: '/$environment/$account/pools', letter: 'p', anyOf: ['listSenderPools'] },
  { name: 'wabas', path: '/$environment/$account/wabas', letter: 'b', anyOf: ['listWabas'] },
  { name: 'portfolios', path: '/$environment/$account/portfolios', letter: 'l', anyOf: ['listPortfolios'] },
  {
    name: 'webhooks',
    path: '/$environment/$account/webhooks',
    letter: 'w',
    anyOf: ['listWebhooks', 'createWebhook'],
  },
  { name: 'events', path: '/$environment/$account/events', letter: 'e', anyOf: ['listEvents'] },
  {
    name: 'keys',
    path: '/$environment/$account/keys',
    letter: 'k',
    anyOf: ['listApiKeys', 'createApiKey'],
  },
  { name: 'operations', path: '/$environment/$account/operations', letter: 'o', anyOf: ['listOperations'] },
  { name: 'approvals', path: '/$environment/$account/approvals', letter: 'a', anyOf: ['listApprovals'] },
];
