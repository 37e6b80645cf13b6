// Generated from the declared operations by "npm run generate". Changes belong there.

/** How far along each status of a message is: it only ever moves to a higher rank. */
export const messageRanks = {
  queued: 0,
  scheduled: 0,
  deferred: 0,
  sending: 10,
  unknown: 15,
  sent: 20,
  failed: 25,
  delivered: 30,
  read: 40,
  canceled: 100,
  expired: 100,
  received: 100,
} as const;
