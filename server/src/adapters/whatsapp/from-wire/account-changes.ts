// What happened to templates, flows, phone numbers and business accounts.
import type {
  AccountUpdate,
  FlowUpdate,
  PhoneNumberUpdate,
  TemplateUpdate,
} from '../../../modules/provider/index.ts';
import { fieldsOf, idOf, instantOf, listOf, textOf } from '../reading.ts';
import type { Change } from './change.ts';

export function readTemplateUpdate({ field, value, time }: Change): TemplateUpdate | null {
  const template = {
    templateId: idOf(value.message_template_id),
    name: textOf(value.message_template_name),
    language: textOf(value.message_template_language),
    occurredAt: time,
  };
  if (template.templateId === null && template.name === null) return null;
  switch (field) {
    case 'message_template_status_update': {
      const event = textOf(value.event);
      const rejection = fieldsOf(value.rejection_info);
      const other = fieldsOf(value.other_info);
      if (event === null) return null;
      return {
        ...template,
        kind: 'status',
        event,
        category: textOf(value.message_template_category),
        reason: textOf(value.reason) ?? textOf(rejection.reason),
        recommendation: textOf(rejection.recommendation),
        title: textOf(other.title),
        description: textOf(other.description),
      };
    }
    case 'message_template_quality_update': {
      const current = textOf(value.new_quality_score);
      const previous = textOf(value.previous_quality_score);
      return current === null ? null : { ...template, kind: 'quality', previous, current };
    }
    case 'template_category_update':
      return {
        ...template,
        kind: 'category',
        previous: textOf(value.previous_category),
        current: textOf(value.new_category),
        announced: textOf(value.correct_category),
        announcedFor: instantOf(value.category_update_timestamp),
      };
    default:
      return { ...template, kind: 'components', value };
  }
}

export function readFlowUpdate({ value, time }: Change): FlowUpdate | null {
  const flowId = idOf(value.flow_id);
  const event = textOf(value.event);
  if (flowId === null || event === null) return null;
  return {
    flowId,
    event,
    oldStatus: textOf(value.old_status),
    newStatus: textOf(value.new_status),
    message: textOf(value.message),
    occurredAt: time,
  };
}

export function readPhoneNumberUpdate({ field, value, time }: Change): PhoneNumberUpdate | null {
  const displayPhoneNumber = idOf(value.display_phone_number)?.replaceAll(/\D/g, '');
  const event = textOf(value.event);
  if (!displayPhoneNumber) return null;
  const number = { displayPhoneNumber, occurredAt: time };
  switch (field) {
    case 'phone_number_quality_update': {
      const messagingLimit = idOf(value.max_daily_conversations_per_business) ?? textOf(value.current_limit);
      return event === null ? null : { ...number, kind: 'quality', event, messagingLimit };
    }
    case 'phone_number_name_update': {
      const decision = textOf(value.decision);
      const requestedName = textOf(value.requested_verified_name);
      const rejectionReason = textOf(value.rejection_reason);
      if (decision === null) return null;
      return { ...number, kind: 'name', decision, requestedName, rejectionReason };
    }
    case 'security':
      return event === null ? null : { ...number, kind: 'security', event, requester: idOf(value.requester) };
    default: {
      const status = textOf(value.status);
      return status === null
        ? null
        : { ...number, kind: 'username', username: textOf(value.username), status };
    }
  }
}

export function readAccountUpdate({ field, value, time }: Change): AccountUpdate {
  return {
    field,
    event: textOf(value.event) ?? textOf(value.decision),
    banState: textOf(fieldsOf(value.ban_info).waba_ban_state),
    restrictions: listOf(value.restriction_info)
      .map(fieldsOf)
      .flatMap(({ restriction_type, expiration }) => {
        const type = textOf(restriction_type);
        return type === null ? [] : [{ type, expiresAt: instantOf(expiration) }];
      }),
    messagingLimit: idOf(value.max_daily_conversations_per_business),
    value,
    occurredAt: time,
  };
}
