// The contract's list of what people are told of.

export const notificationCategories = [
  'sender_health',
  'template_status',
  'action_required',
  'operation_complete',
  'security',
  'incident',
  'product_update',
  'billing',
  'conversation',
] as const;
export type NotificationCategory = (typeof notificationCategories)[number];

/** What the operator announces to everybody; no module tells of these. */
export type AnnouncedCategory = 'incident' | 'product_update';
