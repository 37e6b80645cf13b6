/** The consumer of events that starts runs and wakes them. */
export const consumerName = 'workflows';
