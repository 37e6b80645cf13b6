/** The app the simulator's callbacks belong to. In a file of its own: commands need it, and nothing else of the simulator. */
export const simulatorAppId = '100000000000001';
