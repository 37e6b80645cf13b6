/** The consumer of events that counts messages. */
export const consumerName = 'analytics';
