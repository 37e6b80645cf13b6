// The test cards: what each number does. Numbers, codes and words are the payment service's own.

export type TestCard = {
  number: string;
  brand: 'visa' | 'mastercard' | 'amex';
  /** `pm_card_<name>` is a payment method with this card, as tests name it without typing a number. */
  name: string;
  means: string;
  /** Every charge is declined with this code. */
  decline?: DeclineCode;
  /** Charges that are made while the cardholder is away are declined with this code. */
  declineAway?: DeclineCode;
  /** When the cardholder must prove to be it: at every payment, only when present, or always until set up. */
  authenticate?: 'always' | 'present' | 'until-set-up';
  dispute?: { reason: 'fraudulent' | 'product_not_received'; inquiry?: true };
  refund?: 'pending' | 'fails';
};

type Decline = { code: string; message: string; networkCode?: string; advice?: string };

export const declines = {
  generic_decline: {
    code: 'card_declined',
    message: 'Your card was declined.',
    networkCode: '01',
    advice: 'try_again_later',
  },
  insufficient_funds: {
    code: 'card_declined',
    message: 'Your card has insufficient funds.',
    networkCode: '51',
    advice: 'try_again_later',
  },
  lost_card: {
    code: 'card_declined',
    message: 'Your card was declined.',
    networkCode: '41',
    advice: 'do_not_try_again',
  },
  stolen_card: {
    code: 'card_declined',
    message: 'Your card was declined.',
    networkCode: '43',
    advice: 'do_not_try_again',
  },
  do_not_honor: { code: 'card_declined', message: 'Your card was declined.', networkCode: '05' },
  test_mode_live_card: {
    code: 'card_declined',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  },
  expired_card: { code: 'expired_card', message: 'Your card has expired.', networkCode: '54' },
  incorrect_cvc: { code: 'incorrect_cvc', message: "Your card's security code is incorrect." },
  processing_error: {
    code: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
  authentication_required: {
    code: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
} satisfies Record<string, Decline>;
export type DeclineCode = keyof typeof declines;
export const declineOf = (code: DeclineCode): Decline => declines[code];

type Facts = Omit<TestCard, 'number' | 'name' | 'means' | 'brand'> & { brand?: TestCard['brand'] };
const card = (number: string, name: string, means: string, facts: Facts = {}): TestCard => ({
  number,
  name,
  means,
  brand: 'visa',
  ...facts,
});

export const testCards: TestCard[] = [
  card('4242424242424242', 'visa', 'is charged'),
  card('5555555555554444', 'mastercard', 'is charged', { brand: 'mastercard' }),
  card('378282246310005', 'amex', 'is charged; its security code has four digits', { brand: 'amex' }),
  card('4000000000000002', 'chargeDeclined', 'is declined: generic_decline', { decline: 'generic_decline' }),
  card('4000000000009995', 'chargeDeclinedInsufficientFunds', 'is declined: insufficient_funds', {
    decline: 'insufficient_funds',
  }),
  card('4000000000009987', 'chargeDeclinedLostCard', 'is declined: lost_card', { decline: 'lost_card' }),
  card('4000000000009979', 'chargeDeclinedStolenCard', 'is declined: stolen_card', {
    decline: 'stolen_card',
  }),
  card('4000000000000069', 'chargeDeclinedExpiredCard', 'is declined: expired_card', {
    decline: 'expired_card',
  }),
  card('4000000000000127', 'chargeDeclinedIncorrectCvc', 'is declined: incorrect_cvc', {
    decline: 'incorrect_cvc',
  }),
  card('4000000000000119', 'chargeDeclinedProcessingError', 'is declined: processing_error', {
    decline: 'processing_error',
  }),
  card('4000000000000341', 'chargeCustomerFail', 'is charged and saved; later charges without you fail', {
    declineAway: 'generic_decline',
  }),
  card('4000002500003155', 'authenticationRequiredOnSetup', 'asks for 3-D Secure until it is saved', {
    authenticate: 'until-set-up',
  }),
  card('4000000000003220', 'threeDSecure2Required', 'asks for 3-D Secure', { authenticate: 'always' }),
  card('4000002760003184', 'authenticationRequired', 'asks for 3-D Secure always, also once it is saved', {
    authenticate: 'always',
  }),
  card(
    '4000003800000446',
    'authenticationRequiredSetupForOffSession',
    'asks for 3-D Secure only while you are present',
    { authenticate: 'present' },
  ),
  card(
    '4000008260003178',
    'authenticationRequiredChargeDeclinedInsufficientFunds',
    'asks for 3-D Secure, then is declined: insufficient_funds',
    { authenticate: 'until-set-up', decline: 'insufficient_funds' },
  ),
  card('4000000000000259', 'createDispute', 'is charged, then disputed as fraudulent', {
    dispute: { reason: 'fraudulent' },
  }),
  card('4000000000002685', 'createDisputeProductNotReceived', 'is charged, then disputed as not received', {
    dispute: { reason: 'product_not_received' },
  }),
  card(
    '4000000000001976',
    'createDisputeInquiry',
    'is charged, then the bank inquires and withdraws nothing',
    {
      dispute: { reason: 'fraudulent', inquiry: true },
    },
  ),
  card('4000000000007726', 'pendingRefund', 'is charged; its refunds are pending at first', {
    refund: 'pending',
  }),
  card('4000000000005126', 'refundFail', 'is charged; its refunds succeed and fail later', {
    refund: 'fails',
  }),
];

const byNumber = new Map(testCards.map((one) => [one.number, one]));
const byName = new Map(testCards.map((one) => [`pm_card_${one.name}`, one]));

export const cardNamed = (paymentMethod: string): TestCard | undefined => byName.get(paymentMethod);

/** A number that is none of the test cards is declined as a real card in test mode is. */
export const cardWith = (number: string): TestCard =>
  byNumber.get(number) ?? card(number, 'unknown', 'is declined', { decline: 'test_mode_live_card' });

/** Whether the last digit fits the others (Luhn). */
export function isCardNumber(digits: string): boolean {
  if (!/^\d{12,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
