// The provider's words for a template's state, in ours. A status nobody knows cannot be sent; a category nobody knows leaves
// the one that was known.
import {
  type TemplateCategory,
  type TemplateStatus,
  templateCategories,
  templateStatuses,
} from './find-template.ts';

const synonyms: Record<string, TemplateStatus> = {
  ACTIVE: 'APPROVED',
  REINSTATED: 'APPROVED',
  UNARCHIVED: 'APPROVED',
  IN_REVIEW: 'PENDING',
};

export function readStatus(said: string): TemplateStatus {
  const word = said.toUpperCase();
  return (
    synonyms[word] ?? templateStatuses.find((status) => status === word && status !== 'DRAFT') ?? 'PENDING'
  );
}

export function readCategory(said: string | null): TemplateCategory | null {
  return templateCategories.find((category) => category === said?.toUpperCase()) ?? null;
}

export function readQuality(said: string | null): 'GREEN' | 'YELLOW' | 'RED' | 'UNKNOWN' {
  return (
    (['GREEN', 'YELLOW', 'RED'] as const).find((quality) => quality === said?.toUpperCase()) ?? 'UNKNOWN'
  );
}
