// Whether a number may be migrated: what is wrong with the request, and what stands in the way.
import type { TenantTx } from '../../platform/db/database.ts';
import { ApiError, type ErrorDetail } from '../../platform/errors/errors.ts';
import type { Part } from '../../platform/http/operations/operation.ts';
import { survivorsOf } from '../contacts/index.ts';
import { refuseWithout, spokenIn } from '../provider/index.ts';
import { loadSender, refuseOverCap, type Sender } from '../senders/index.ts';
import { checkTemplateParameters, findTemplateRow } from '../templates/index.ts';
import { requireWaba, type Waba } from '../wabas/index.ts';
import { migrationUnderWay } from './migrations.ts';
import type { NewMigrationBody } from './schema.ts';

/** What the fields say of each other and of the rows they name. */
export async function issuesOf(t: TenantTx, body: Part<NewMigrationBody>): Promise<ErrorDetail[]> {
  const sender = body.senderSid === undefined ? null : await loadSender(t, body.senderSid);
  return [
    ...issuesOfWhy(body),
    ...(sender ? issuesOfSender(sender, body) : []),
    ...(await issuesOfTemplate(t, body)),
  ];
}

/** Who reads the history later must find something. */
export const issuesOfWhy = (body: Part<Pick<NewMigrationBody, 'caseRef' | 'reason'>>): ErrorDetail[] =>
  (['caseRef', 'reason'] as const)
    .filter((path) => body[path]?.trim() === '')
    .map((path) => ({ path, issue: 'must not be blank' }));

function issuesOfSender({ phoneNumber, wabaSid }: Sender, body: Part<NewMigrationBody>): ErrorDetail[] {
  const issues: ErrorDetail[] = [];
  const { countryCode, phoneNumber: number, sourceWabaSid, destinationWabaSid } = body;
  if (countryCode !== undefined && number !== undefined && `+${countryCode}${number}` !== phoneNumber)
    issues.push({ path: 'phoneNumber', issue: 'is with countryCode not the number of the sender' });
  if (sourceWabaSid !== undefined && sourceWabaSid !== wabaSid)
    issues.push({ path: 'sourceWabaSid', issue: 'is not the business account of the sender' });
  if (destinationWabaSid !== undefined && destinationWabaSid === wabaSid)
    issues.push({ path: 'destinationWabaSid', issue: 'is the business account the sender is in already' });
  return issues;
}

async function issuesOfTemplate(t: TenantTx, body: Part<NewMigrationBody>): Promise<ErrorDetail[]> {
  const { templateSid } = body.validation ?? {};
  const template = templateSid === undefined ? undefined : await findTemplateRow(t, templateSid);
  if (!template) return [];
  const path = 'validation.templateSid';
  const { destinationWabaSid } = body;
  if (destinationWabaSid !== undefined && template.wabaSid !== destinationWabaSid)
    return [{ path, issue: 'is no template of the destination' }];
  if (template.status !== 'APPROVED') return [{ path, issue: `is ${template.status}, and must be APPROVED` }];
  if (checkTemplateParameters(template).length > 0)
    return [{ path, issue: 'needs parameters, and must be one that is sent without' }];
  return [];
}

const notFound = (path: string, issue: string) => new ApiError('NOT_FOUND', { details: [{ path, issue }] });

/** What the body names must be there, and nothing of the account may forbid the migration. To be asked under the sender's lock. */
export async function requireMovable(
  t: TenantTx,
  sender: Sender,
  { destinationWabaSid, validation }: NewMigrationBody,
): Promise<{ source: Waba; destination: Waba }> {
  const destination = await requireWaba(t, destinationWabaSid, 'destinationWabaSid');
  if (!(await findTemplateRow(t, validation.templateSid)))
    throw notFound('validation.templateSid', 'is no template of this account and environment');
  const { contactSid } = validation;
  if (!(await survivorsOf(t, [contactSid])).has(contactSid))
    throw notFound('validation.contactSid', 'is no contact of this account and environment');
  const under = await migrationUnderWay(t, sender.sid);
  if (under)
    throw new ApiError('CONFLICT', {
      message: `The sender is being migrated already, by ${under}.`,
      details: [{ path: 'senderSid', issue: `is being migrated by ${under}` }],
    });
  if (sender.wabaSid === null) throw new ApiError('SENDER_NOT_READY');
  const source = await requireWaba(t, sender.wabaSid);
  refuseWithout('NUMBER_MIGRATION', { sender, waba: source, ...spokenIn(t) });
  if (destination.connectionState !== 'CONNECTED') throw new ApiError('WABA_NOT_CONNECTED');
  if (source.portfolioId !== destination.portfolioId) await refuseOverCap(t, destination.sid);
  return { source, destination };
}
