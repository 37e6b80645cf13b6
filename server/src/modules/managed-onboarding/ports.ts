// Whoever has phone numbers: sells them, takes them over from other carriers, and reads what is sent to them.
import type { OnboardingOffer } from './settings.ts';

export type VendorPlace = { baseUrl: string };

/** What became of a call: the vendor did it, somebody of the operator has to, or it failed. */
export type VendorAnswer<T> =
  | { by: 'vendor'; value: T }
  | { by: 'staff' }
  | { by: 'nobody'; retryable: boolean; reason: string };

export type NumberOrder = {
  state: 'PENDING' | 'READY' | 'REFUSED';
  /** E.164; known once it is READY, or before where it was chosen. */
  number: string | null;
  reason: string | null;
};

export type NewOrder = { reference: string; country: string; number: string };
export type NewPort = NewOrder & {
  /** Where the business is reached for the hand-over; null when it did not say. */
  handoverPhoneNumber: string | null;
};

/** Orders are named by the caller: the same reference is the same order, however often it is asked for. */
export interface NumberVendor {
  /** Numbers that can be had now, the wished one first where it is among them. */
  search(
    place: VendorPlace,
    wanted: { country: string; wish: string | null },
  ): Promise<VendorAnswer<string[]>>;
  order(place: VendorPlace, order: NewOrder): Promise<VendorAnswer<NumberOrder>>;
  portIn(place: VendorPlace, port: NewPort): Promise<VendorAnswer<NumberOrder>>;
  /** Null for a reference nobody ordered by. */
  status(place: VendorPlace, reference: string): Promise<VendorAnswer<NumberOrder | null>>;
  /** The newest code that was sent to the number; null when none has come. */
  readCode(place: VendorPlace, reference: string): Promise<VendorAnswer<string | null>>;
  /** Gives the number back; giving back what is not there is no error. */
  release(place: VendorPlace, reference: string): Promise<VendorAnswer<null>>;
}

declare module '../../platform/ports.ts' {
  interface Ports {
    numberVendors: { live: NumberVendor; sandbox: NumberVendor };
  }
  interface Site {
    /** Null where the operator sets nobody up. */
    managedOnboarding: { live: OnboardingOffer | null; sandbox: OnboardingOffer };
  }
}
