// What somebody can agree to, in the order in which it is asked for.
export const purposes = ['MARKETING', 'TRANSACTIONAL', 'AUTHENTICATION', 'SUPPORT'] as const;
