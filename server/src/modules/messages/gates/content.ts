import type { ErrorDetail } from '../../../platform/errors/errors.ts';
import { type Content, decideCapability } from '../../provider/index.ts';
import { checkTemplateParameters, type TemplateFacts } from '../../templates/index.ts';
import { mediaIn } from '../drafts/media-in-content.ts';
import { type Case, type Finding, fail, type Gate, isUnusable, pass, unusable } from './case.ts';
import { catalogsIn } from './catalogs-in-content.ts';
import { judgeContent } from './content-rules.ts';

export const content: Gate = {
  name: 'content',
  judge(c, { dueAt }) {
    if (isUnusable(c.content)) return unusable(c.content);
    const faults = [...judgeContent(c.content), ...judgeContext(c, c.content)];
    if (faults.length > 0) return fail('VALIDATION_ERROR', { type: c.content.type }, faults);
    if (isUnusable(c.replyTarget)) return unusable(c.replyTarget);
    if (isUnusable(c.statusCallback)) return unusable(c.statusCallback);
    const media = judgeMedia(c, c.content, dueAt);
    if (media) return media;
    const catalogs = judgeCatalogs(c, c.content);
    if (catalogs) return catalogs;
    if (c.content.type === 'flow') return judgeFlow(c, c.content.flow.flowSid);
    if (c.content.type === 'template') return judgeTemplate(c, c.content);
    return pass({ type: c.content.type });
  },
};

const judgeContext = ({ draft }: Case, { type }: Content): ErrorDetail[] =>
  type === 'reaction' && draft.replyTo ? [{ path: 'context', issue: 'does not go with a reaction' }] : [];

function judgeTemplate(c: Case, { template: named }: Extract<Content, { type: 'template' }>): Finding {
  const { template } = c;
  if (!template) {
    const issue = 'there is no template of this name in this language';
    return fail('TEMPLATE_NOT_APPROVED', { name: named.name, language: named.language }, [
      { path: 'template.name', issue },
    ]);
  }
  const evidence = { templateSid: template.sid, status: template.status, category: template.category };
  if (template.status === 'PAUSED') return fail('TEMPLATE_PAUSED', evidence);
  if (template.status !== 'APPROVED') return fail('TEMPLATE_NOT_APPROVED', evidence);
  const phone = isUnusable(c.recipient) || c.recipient.identifier.identifierType === 'phone_e164';
  if (needsPhone(template) && !phone) return fail('RECIPIENT_ADDRESSING_UNSUPPORTED', evidence);
  const faults = checkTemplateParameters(template, named.components);
  return faults.length > 0 ? fail('VALIDATION_ERROR', evidence, faults.map(inTemplate)) : pass(evidence);
}

const inTemplate = ({ path, issue }: ErrorDetail) => ({ path: `template.components${path}`, issue });

/** A code to sign in with goes to a phone number and nowhere else. */
const needsPhone = ({ category }: TemplateFacts) => category === 'AUTHENTICATION';

function judgeFlow(c: Case, flowSid: string): Finding {
  const { flow, sender } = c;
  const elsewhere = flow && !isUnusable(sender) && sender.wabaSid !== flow.wabaSid;
  if (!flow || elsewhere) {
    return fail('NOT_FOUND', { flowSid }, [{ path: 'flow.flowSid', issue: 'is no flow of this sender' }]);
  }
  const evidence = { flowSid, status: flow.status };
  if (flow.status === 'BLOCKED') return fail('FLOW_BLOCKED', evidence);
  if (flow.status !== 'PUBLISHED' && flow.status !== 'THROTTLED') return fail('FLOW_NOT_PUBLISHED', evidence);
  if (!flow.exchangesData || isUnusable(sender)) return pass(evidence);
  const { waba, now, apiVersion } = c;
  const { errorCode } = decideCapability('FLOW_DATA_EXCHANGE', { sender, waba, now, apiVersion });
  // Why a number can send nothing at all is the sender's gate to tell.
  return errorCode === 'FLOW_ENCRYPTION_KEY_MISSING'
    ? fail(errorCode, { ...evidence, flowKey: sender.flowKey })
    : pass(evidence);
}

/** Products are shown from the catalog that is connected to the number, and from no other. */
function judgeCatalogs({ waba, now, apiVersion }: Case, sent: Content): Finding | null {
  const catalogIds = waba?.catalogIds ?? null;
  if (waba === null || catalogIds === null) return null;
  const strange = catalogsIn(sent).filter(({ catalogId }) => !catalogIds.includes(catalogId));
  if (strange.length === 0) return null;
  const at = (issue: string) => strange.map(({ path }) => ({ path, issue }));
  const { errorCode } = decideCapability('PRODUCT_MESSAGES', { waba, now, apiVersion });
  if (errorCode === 'CAPABILITY_UNAVAILABLE')
    return fail(errorCode, { catalogIds }, at('no catalog is connected to this sender'));
  const issue = `must be the catalog connected to this sender, ${catalogIds.join(' or ')}`;
  return fail('VALIDATION_ERROR', { catalogIds }, at(issue));
}

/** What each kind of message and of template header takes. */
const takes: Record<string, string> = {
  image: 'IMAGE',
  video: 'VIDEO',
  audio: 'AUDIO',
  document: 'DOCUMENT',
  sticker: 'STICKER',
};

function judgeMedia({ media }: Case, sent: Content, dueAt: Date): Finding | null {
  for (const { sid, path, kind } of mediaIn(sent)) {
    const fact = media.get(sid);
    const details = (issue: string) => [{ path, issue }];
    if (!fact) return fail('NOT_FOUND', { mediaSid: sid }, details('is no media of this account'));
    const evidence = { mediaSid: sid, status: fact.status, type: fact.type };
    if (fact.status === 'PENDING' || fact.status === 'SCANNING') {
      return fail('MEDIA_NOT_READY', evidence, details('is still being checked'));
    }
    if (fact.status !== 'READY') return fail('MEDIA_REJECTED', evidence, details(`is ${fact.status}`));
    if (new Date(fact.expiresAt) <= dueAt) {
      return fail(
        'MEDIA_REJECTED',
        evidence,
        details(`expires at ${fact.expiresAt}, before it would be sent`),
      );
    }
    if (fact.type !== takes[kind]) {
      return fail('VALIDATION_ERROR', evidence, details(`is ${fact.type}, not ${takes[kind]}`));
    }
  }
  return null;
}
