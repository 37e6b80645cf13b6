// Proves certificates in the page itself; of the service it takes the keys, which anybody may read.
import { useMutation } from '@tanstack/react-query';
import { useWorkspace } from '../../../shell/workspace.tsx';
import { certificateIn, verifyCertificate } from './verify-certificate.ts';

/** Browsers lend it to pages that came over a closed line, or from this machine. */
export const canProve = 'subtle' in crypto;

export function useProof() {
  const { api } = useWorkspace();
  return useMutation({
    mutationFn: async (text: string) => {
      const { keys } = await api.privacyRequests.listSigningKeys();
      return verifyCertificate(certificateIn(text), keys);
    },
  });
}
