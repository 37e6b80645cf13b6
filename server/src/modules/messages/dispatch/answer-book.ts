// Answers of the provider on their way to the database. While those of an account are written the next gather, so that a
// thousand answers take few transactions. An answer is kept until it is written, however long the database is away.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tenant, TenantTx } from '../../../platform/db/database.ts';
import type { Log } from '../../../platform/observability/logging.ts';
import { handOffs } from '../metrics.ts';
import { type Answer, outcomeOf, recordAnswers } from './record-answers.ts';

type Options = {
  write<T>(tenant: Tenant, work: (t: TenantTx) => Promise<T>): Promise<T>;
  /** Told once an answer is written down. */
  onRecorded(answer: Answer): void;
  log: Log;
};

type Page = { tenant: Tenant; answers: Answer[]; writing: Promise<void> | null };

const most = 500;
const longestRestMs = 2_000;

export type AnswerBook = {
  add(tenant: Tenant, answer: Answer): void;
  /** Settles when everything added so far is written. */
  written(): Promise<void>;
};

export function createAnswerBook({ write, onRecorded, log }: Options): AnswerBook {
  const pages = new Map<string, Page>();

  const writeDown = async (key: string, page: Page): Promise<void> => {
    for (let failures = 0; page.answers.length > 0; ) {
      const answers = page.answers.slice(0, most);
      try {
        await write(page.tenant, (t) => recordAnswers(t, answers));
        page.answers.splice(0, answers.length);
        failures = 0;
        for (const answer of answers) {
          handOffs.inc({ outcome: outcomeOf(answer) });
          onRecorded(answer);
        }
      } catch (error) {
        failures += 1;
        log.warn({ err: error, answers: answers.length }, 'could not write down answers of the provider yet');
        await sleep(Math.min(50 * 2 ** failures, longestRestMs));
      }
    }
    // In the same breath as the look that found nothing more: what is added from now on opens a page of its own.
    pages.delete(key);
  };

  return {
    add(tenant, answer) {
      const key = `${tenant.accountSid} ${tenant.livemode}`;
      const page = pages.get(key) ?? { tenant, answers: [], writing: null };
      pages.set(key, page);
      page.answers.push(answer);
      page.writing ??= writeDown(key, page);
    },
    async written() {
      while (pages.size > 0) await Promise.all([...pages.values()].map(({ writing }) => writing));
    },
  };
}
