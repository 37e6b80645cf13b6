// What templates can be looked for by, as it stands in the address.
export const templateStatuses = [
  'DRAFT',
  'PENDING',
  'APPROVED',
  'REJECTED',
  'PAUSED',
  'DISABLED',
  'IN_APPEAL',
  'PENDING_DELETION',
  'LIMIT_EXCEEDED',
  'ARCHIVED',
  'LOCKED',
] as const;
export const categories = ['UTILITY', 'MARKETING', 'AUTHENTICATION'] as const;

export type TemplateSearch = {
  status?: (typeof templateStatuses)[number];
  category?: (typeof categories)[number];
  language?: string;
};

export const templateSearchIn = (given: Record<string, unknown>): TemplateSearch => ({
  status: templateStatuses.find((one) => one === given.status),
  category: categories.find((one) => one === given.category),
  language: typeof given.language === 'string' ? given.language : undefined,
});
