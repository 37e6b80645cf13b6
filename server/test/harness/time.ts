// A process's own time in tests, so that a busy machine changes nothing: held clocks, and beats that are never late.

type Mocking = {
  mock: { method(of: typeof performance, name: 'now', now: () => number): { mock: { restore(): void } } };
};

/**
 * Holds the clock that runs only forward, for the rest of the test or until it is let go: what must happen within some time
 * has all of it. `advance` moves it by hand. Timers go on.
 */
export function holdTime(context: Mocking) {
  let nowMs = performance.now();
  const held = context.mock.method(performance, 'now', () => nowMs);
  return {
    advance: (ms: number) => {
      nowMs += ms;
    },
    letGo: () => held.mock.restore(),
  };
}

/**
 * Processes of this database are never thought dead for beats that come late; one whose beat the test sets into the past is.
 * To be run with the owner's rights.
 */
export const beatsAreNeverLate = `
  create schema if not exists testing;
  create or replace function testing.beat_ahead() returns trigger language plpgsql as $$
  begin
    new.beat_at := clock_timestamp() + interval '1 day';
    return new;
  end $$;
  create or replace trigger beat_ahead before insert or update on processes
    for each row when (new.beat_at > clock_timestamp() - interval '1 second')
    execute function testing.beat_ahead();
  update processes set beat_at = clock_timestamp()`;
