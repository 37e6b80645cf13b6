// Mail, for any module that writes to people: how one is laid out, and the port that sends it.
import type { Module } from '../../platform/module.ts';

export { type Composed, layOutMail, type MailLocale, type MailText, oneLine } from './layout.ts';
export { AddresseeRefused, type Mail, type Mailer } from './ports.ts';

export const mailsModule: Module = { name: 'mails', tables: [], operations: [], jobs: [], crons: [] };
