// What business accounts need of the modules above them and of the simulated provider. `main` connects it.
import type { TenantTx } from '../../platform/db/database.ts';
import type { TenantJobContext } from '../../platform/jobs/jobs.ts';
import type { Connection, ProviderPhoneNumber, ProviderTemplate } from '../provider/index.ts';
import type { WabaFacts } from './wabas.ts';

/** A business account that exists only in the sandbox, with a token that describes it. */
export type SimulatedWaba = {
  businessId: string;
  wabaId: string;
  accessToken: string;
  phoneNumbers: ProviderPhoneNumber[];
  templates: ProviderTemplate[];
  facts: WabaFacts;
};

export type Sandbox = {
  /** A new business account with one number a name; in the given portfolio, or one of its own. */
  newWaba(names: readonly string[], businessId?: string): SimulatedWaba;
  /** A further number: the token that opens the account with it, and the number. */
  addNumber(accessToken: string, name: string): { accessToken: string; phoneNumber: ProviderPhoneNumber };
  /** The token that also describes a number which was added at the provider itself. */
  withNumber(accessToken: string, number: ProviderPhoneNumber): string;
};

export type SenderState = {
  sid: string;
  wabaSid: string | null;
  phoneNumber: string;
  displayName: string;
  status: string;
  quality: string;
};

export type Telling = {
  /** Whether what is found is announced; it is, unless said otherwise. */
  announced?: boolean | undefined;
  /** When the provider was asked; now, unless said otherwise. */
  saidAt?: Date;
};

export type WabaHooks = {
  sandbox: Sandbox;
  sendersOf(t: TenantTx, wabaSids: readonly string[]): Promise<SenderState[]>;
  /** The numbers the provider lists for a business account become its senders; the ones known already are brought up to date. */
  numbersListed(
    t: TenantTx,
    wabaSid: string,
    numbers: readonly ProviderPhoneNumber[],
    telling?: Telling,
  ): Promise<void>;
  /** The senders of a business account that is no longer connected. */
  disconnectSenders(t: TenantTx, wabaSid: string, reason: string, toldAt: Date): Promise<void>;
  /** Templates that are already known to be there. */
  templatesListed(
    t: TenantTx,
    wabaSid: string,
    templates: readonly ProviderTemplate[],
    telling?: Telling,
  ): Promise<void>;
  /** How many templates each business account holds. */
  templateCounts(t: TenantTx, wabaSids: readonly string[]): Promise<Map<string, number>>;
  /** Asks for the list of templates, which comes later. */
  requestTemplates(t: TenantTx, wabaSid: string): void;
  /** Reads the list of templates now and stores what changed; throws what the provider answered when it cannot. */
  readTemplates(context: TenantJobContext, wabaSid: string): Promise<unknown>;
  /** Asks the provider what became of messages of which nothing final was told; throws what it answered when it cannot. */
  settleByHistory(
    context: TenantJobContext,
    wabaSid: string,
    connection: Connection,
  ): Promise<{ asked: number; settled: number }>;
};
