// The fee of an application: set aside when it is approved, then taken or given back, once for each attempt.
import type { TenantTx } from '../../../platform/db/database.ts';
import { ApiError } from '../../../platform/errors/errors.ts';
import { lockWallet, moveMoney } from '../../billing/index.ts';
import { dueMinor } from '../quotes/fingerprint.ts';
import type { ApplicationRow, Change } from './applications.ts';

const referenceOf = ({ sid, attempt }: Pick<ApplicationRow, 'sid' | 'attempt'>) => `${sid}/${attempt}`;

/** For the attempt that begins. What is not there is INSUFFICIENT_FUNDS, and nothing has begun. */
export async function holdFee(t: TenantTx, row: ApplicationRow): Promise<Change> {
  const wallet = await lockWallet(t);
  const { currency, lines } = row.accepted;
  if (wallet.currency !== currency || lines.some(({ scale }) => scale !== wallet.scale))
    throw new ApiError('CONFLICT', {
      message: `The quote is in ${currency} and the wallet in ${wallet.currency} by now: it has to be made anew.`,
    });
  const attempt = row.attempt + 1;
  const fee = dueMinor(row.accepted);
  const reference = referenceOf({ sid: row.sid, attempt });
  await moveMoney(t, { walletId: wallet.id, reference, moves: { fee_hold: fee } });
  return { attempt, feeState: 'HELD', feeWalletId: wallet.id, feeMinor: fee.toString() };
}

export const captureFee = async (t: TenantTx, row: ApplicationRow): Promise<Change> => {
  await endFee(t, row, 'fee_capture');
  return { feeState: 'CAPTURED' };
};

export const releaseFee = async (t: TenantTx, row: ApplicationRow): Promise<Change> => {
  await endFee(t, row, 'fee_release');
  return { feeState: 'RELEASED' };
};

async function endFee(t: TenantTx, row: ApplicationRow, kind: 'fee_capture' | 'fee_release') {
  if (row.feeState !== 'HELD') throw new Error(`the fee of ${row.sid} is ${row.feeState}`);
  const moves = { [kind]: BigInt(row.feeMinor) };
  await moveMoney(t, { walletId: row.feeWalletId!, reference: referenceOf(row), moves });
}
