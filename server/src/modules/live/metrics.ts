import { Gauge, type Registry } from 'prom-client';
import type { Places } from '../../platform/http/limits/places.ts';

export function observeLive(registry: Registry, places: Places): void {
  new Gauge({
    name: 'godwit_live_streams',
    help: 'Streams of hints that this process has open',
    registers: [registry],
    collect() {
      this.set(places.taken());
    },
  });
}
