// What a message needs of a template.
import type { TenantTx } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/query.ts';
import { declareFact, factsOf } from '../../platform/kept-facts.ts';
import type { ParameterFormat, WireComponent } from './components.ts';

export const templateStatuses = [
  'DRAFT',
  'PENDING',
  'APPROVED',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
  'DELETED',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
  'LOCKED',
] as const;
export type TemplateStatus = (typeof templateStatuses)[number];
export const templateCategories = ['AUTHENTICATION', 'UTILITY', 'MARKETING'] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export type TemplateFacts = {
  sid: string;
  wabaSid: string;
  name: string;
  language: string;
  status: TemplateStatus;
  category: TemplateCategory;
  parameterFormat: ParameterFormat;
  /** In the provider's own words. */
  components: WireComponent[];
  messageSendTtlSeconds: number | null;
};
export type TemplateName = { wabaSid: string; name: string; language: string };

export async function findTemplate(t: TenantTx, name: TemplateName): Promise<TemplateFacts | null> {
  return (await findTemplates(t, [name]))[0] ?? null;
}

/** Many at once, in the order asked for. */
export async function findTemplates(
  t: TenantTx,
  names: readonly TemplateName[],
): Promise<(TemplateFacts | null)[]> {
  return (await factsOf(t, templateFacts, names)).map((facts) => facts ?? null);
}

/** The statuses of the templates of each of these names and languages, in whichever business account they are. */
export async function templatesNamed(
  t: TenantTx,
  names: readonly Omit<TemplateName, 'wabaSid'>[],
): Promise<TemplateStatus[][]> {
  const rows = await t.many<{ place: number; status: TemplateStatus }>(sql`
    select n.place::integer as place, f.status
      from unnest(${names.map(({ name }) => name)}::text[], ${names.map(({ language }) => language)}::text[])
        with ordinality as n (name, language, place)
      join templates f on f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode}
       and f.name = n.name and f.language = n.language and f.deleted_at is null`);
  return names.map((_, i) => rows.filter(({ place }) => place === i + 1).map(({ status }) => status));
}

const templateFacts = declareFact<TemplateName, TemplateFacts>({
  name: 'template',
  of: 'account',
  key: ({ wabaSid, name, language }) => JSON.stringify([wabaSid, name, language]),
  async load(t, names) {
    const rows = await t.many<{ place: number } & TemplateFacts>(sql`
      select n.place::integer as place, f.sid, f.waba_sid as "wabaSid", f.name, f.language, f.status, f.category,
        f.parameter_format as "parameterFormat", f.components, f.message_send_ttl_seconds as "messageSendTtlSeconds"
        from unnest(${names.map(({ wabaSid }) => wabaSid)}::text[], ${names.map(({ name }) => name)}::text[],
          ${names.map(({ language }) => language)}::text[]) with ordinality as n (waba_sid, name, language, place)
        join templates f on f.account_sid = ${t.accountSid} and f.livemode = ${t.livemode}
         and f.waba_sid = n.waba_sid and f.name = n.name and f.language = n.language and f.deleted_at is null`);
    const byPlace = new Map(rows.map(({ place, ...facts }) => [place, facts]));
    return names.map((_, i) => byPlace.get(i + 1));
  },
});
