// The life of a media item. PENDING: asked for, its file not yet here or not yet looked at. SCANNING: being looked at,
// again and again while the scanner cannot be asked. Only READY can be sent, and only READY has content to fetch.
export const mediaStatuses = ['PENDING', 'SCANNING', 'READY', 'REJECTED', 'EXPIRED', 'DELETED'] as const;
export type MediaStatus = (typeof mediaStatuses)[number];

/** From where each status can be reached. */
export const reachedFrom = {
  SCANNING: ['PENDING', 'SCANNING'],
  READY: ['SCANNING'],
  REJECTED: ['PENDING', 'SCANNING'],
  EXPIRED: ['READY', 'REJECTED'],
  DELETED: ['PENDING', 'SCANNING', 'READY', 'REJECTED', 'EXPIRED'],
} as const satisfies Partial<Record<MediaStatus, readonly MediaStatus[]>>;
