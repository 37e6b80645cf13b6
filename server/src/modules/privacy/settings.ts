import { type Variable, whole } from '../../platform/config.ts';

export const privacyVariables = {
  erasureDelayMinutes: {
    name: 'ERASURE_DELAY_MINUTES',
    fallback: '10',
    means: 'How long the erasure of a person can be withdrawn before it begins; sandboxes begin at once',
    read: whole(0, 1_440),
  },
  backupDays: {
    name: 'BACKUP_DAYS',
    fallback: '30',
    means:
      'How long backups of the database are kept: certificates of erasure say until when a person may be left in them',
    read: whole(0, 3_650),
  },
} satisfies Record<string, Variable<unknown>>;

declare module '../../platform/ports.ts' {
  interface Site {
    privacy: { erasureDelayMinutes: number; backupDays: number };
  }
}
