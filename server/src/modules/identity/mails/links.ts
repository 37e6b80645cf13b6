// Where mails lead: pages of the console. What they carry stands behind the #, which no server sees.
import type { Page } from '../../../platform/http/pages.ts';

export const mailed = {
  invitation: '/console/invitation',
  passwordReset: '/console/password-reset',
};

/** Addresses of before. A browser keeps what stands behind the #, so mails that are out still lead where they should. */
export const formerPages: Page[] = [
  { path: '/account', leadsTo: '/console/account' },
  { path: '/invitation', leadsTo: mailed.invitation },
  { path: '/password-reset', leadsTo: mailed.passwordReset },
];
