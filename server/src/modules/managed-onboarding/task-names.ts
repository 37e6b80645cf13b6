// What the operator's people do by hand, by name.
export const taskNames = [
  'ORDER_NUMBER',
  'PORT_NUMBER',
  'CREATE_ACCOUNT',
  'READ_CODE',
  'RELEASE_NUMBER',
] as const;
export type TaskName = (typeof taskNames)[number];
