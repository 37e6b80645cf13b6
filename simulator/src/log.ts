export type Log = (level: 'info' | 'warn', message: string, facts?: object) => void;
