export const mediaTypes = ['IMAGE', 'AUDIO', 'VIDEO', 'DOCUMENT', 'STICKER'] as const;
export type MediaType = (typeof mediaTypes)[number];
/** AUTO lets the file say what it is. */
export type RequestedType = MediaType | 'AUTO';
