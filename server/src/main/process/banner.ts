// What a person sees when the service is up.
import { styleText } from 'node:util';
import type { Demo } from './demo.ts';

export type BannerFacts = {
  /** Null in a process that only works. */
  url: string | null;
  /** Null where it does not run. */
  simulatorUrl: string | null;
  role: string;
  readyMs: number;
  /** Null where none is needed. */
  database: string | null;
  demo: Demo | null;
};

const label = (text: string) => styleText('dim', text.padEnd(12));

export function banner({ url, simulatorUrl, role, readyMs, database, demo }: BannerFacts): string {
  const seconds = (readyMs / 1000).toFixed(1);
  const lines = [
    '',
    `  ${styleText(['bold', 'cyan'], 'Godwit')} is ready ${styleText('dim', `(${role}, ${seconds} s)`)}`,
    '',
    ...(url
      ? [
          `  ${label('Console')}${url}/console`,
          `  ${label('API')}${url}/v1`,
          `  ${label('Reference')}${url}/docs`,
        ]
      : []),
    ...(simulatorUrl ? [`  ${label('Simulator')}${simulatorUrl}`] : []),
    ...(database ? [`  ${label('Database')}${database}`] : []),
    ...(url && demo ? demoLines(url, demo) : []),
    '',
    `  ${styleText('dim', 'Ctrl-C stops it; the data stays.')}`,
    '',
  ];
  return lines.join('\n');
}

function demoLines(url: string, { accountSid, senderSid, sandboxKey, owner }: Demo): string[] {
  const messages = `${url}/v1/accounts/${accountSid}/messages`;
  const auth = `-H "Authorization: Bearer ${sandboxKey}"`;
  const hello = {
    from: senderSid,
    to: '+33612345678',
    type: 'template',
    template: { name: 'hello_world', language: 'en' },
  };
  const post = `-H "Idempotency-Key: hello-1" -H "Content-Type: application/json" -d '${JSON.stringify(hello)}'`;
  return [
    `  ${label('Account')}${accountSid}`,
    `  ${label('Sender')}${senderSid}`,
    `  ${label('Sandbox key')}${styleText('bold', sandboxKey)}`,
    `  ${label('Sign in')}${owner.email}  ${styleText('bold', owner.password)}`,
    `  ${label('')}${styleText('yellow', 'Key and password are shown this once: copy them now.')}`,
    '',
    `  ${styleText('dim', 'Send a message to a simulated customer:')}`,
    '',
    `  curl ${messages} ${auth} ${post}`,
    '',
    `  ${styleText('dim', 'and see it arrive:')}`,
    '',
    `  curl ${messages} ${auth}`,
  ];
}
