import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Lane, newLane } from './lane.ts';
import type { Due } from './load-due.ts';
import { createSlots } from './slots.ts';

const plenty = 600;

/** A lane with more to send than there are slots, to an endpoint that has proved itself. */
function busyLane(accountSid: string, endpointSid: string, cap = 256): Lane {
  const lane = newLane({ accountSid, livemode: false, endpointSid, holder: 'one', generation: '1' });
  const state = {
    url: '',
    timeoutMs: 1_000,
    secrets: [],
    open: true,
    concurrencyCap: cap,
    generation: '1',
  };
  const ready = Array.from({ length: plenty }, () => ({}) as Due);
  const atHand = new Set(ready.map((_, i) => `${i}`));
  return Object.assign(lane, { state, ready, atHand, allowed: cap, loadedAtMs: Number.POSITIVE_INFINITY });
}

function slotsThatHang() {
  return createSlots((lane) => void lane.ready.shift());
}

suite('slots', () => {
  test('give one endpoint alone as many as can be asked for', () => {
    const [slots, lane] = [slotsThatHang(), busyLane('AC1', 'WH1')];
    slots.share([lane]);
    assert.equal(lane.underWay, 256);
  });

  test('of an account are at most a quarter while another has work', () => {
    const slots = slotsThatHang();
    const many = Array.from({ length: 10 }, (_, i) => busyLane('AC1', `WH${i}`));
    slots.share([...many, busyLane('AC2', 'WH99', 1)]);
    const held = many.reduce((sum, { underWay }) => sum + underWay, 0);
    assert.ok(held <= 128, String(held));
  });

  test('are left for an endpoint that comes late, however many of its account hang', () => {
    for (const hanging of [1, 2, 5, 20]) {
      const slots = slotsThatHang();
      const lanes = Array.from({ length: hanging }, (_, i) => busyLane('AC1', `WH${i}`));
      const other = busyLane('AC2', 'WH99', 1);
      slots.share([...lanes, other]);
      const late = busyLane('AC1', 'WH50', 32);
      slots.share([...lanes, other, late]);
      // Two thirds of what they leave.
      const fair = Math.floor(((128 / (2 * hanging + 1)) * 2) / 3) - 1;
      assert.ok(late.underWay >= Math.max(1, fair), `${late.underWay} beside ${hanging}`);
    }
  });

  test('are left for an account that comes late, however many others hold all they can', () => {
    for (const accounts of [4, 8, 40]) {
      const slots = slotsThatHang();
      const lanes = Array.from({ length: accounts * 2 }, (_, i) => busyLane(`AC${i >> 1}`, `WH${i}`));
      slots.share(lanes);
      const late = busyLane('AC99', 'WH99', 32);
      slots.share([...lanes, late]);
      assert.ok(late.underWay >= Math.floor(512 / (accounts + 1) / 4), `${late.underWay} beside ${accounts}`);
    }
  });

  test('go to every endpoint with work, even when all are taken', () => {
    const slots = slotsThatHang();
    const lanes = Array.from({ length: 256 }, (_, i) => busyLane(`AC${i}`, `WH${i}`));
    slots.share(lanes.slice(0, 100));
    slots.share(lanes);
    assert.ok(lanes.every(({ underWay }) => underWay >= 1));
    assert.ok(slots.taken() <= 512 + 256, String(slots.taken()));
  });

  test('that become free go to those who wait, not back to whom they came from', () => {
    const slots = slotsThatHang();
    const slow = busyLane('AC1', 'WH1');
    const other = busyLane('AC2', 'WH2', 1);
    slots.share([slow, other]);
    const late = busyLane('AC1', 'WH3');
    for (let i = 0; i < 200; i += 1) {
      slots.free(slow);
      slots.share([slow, late, other]);
    }
    assert.ok(Math.abs(late.underWay - slow.underWay) <= 2, `${late.underWay} and ${slow.underWay}`);
  });
});
