// The gates a message passes, in the order in which they are asked. Preflight reports what each of them says; sending
// stops at the first that refuses.
import { account } from './account.ts';
import type { Gate } from './case.ts';
import { category } from './category.ts';
import { composer } from './composer.ts';
import { consent } from './consent.ts';
import { content } from './content.ts';
import { destination } from './destination.ts';
import { funds } from './funds.ts';
import { marketingCap } from './marketing-cap.ts';
import { portfolioLimit } from './portfolio-limit.ts';
import { recipient } from './recipient.ts';
import { risk } from './risk.ts';
import { sender } from './sender.ts';
import { serviceWindow } from './service-window.ts';
import { suppression } from './suppression.ts';

export const gates: readonly Gate[] = [
  account,
  sender,
  recipient,
  composer,
  content,
  category,
  suppression,
  consent,
  serviceWindow,
  destination,
  marketingCap,
  portfolioLimit,
  risk,
  funds,
];
