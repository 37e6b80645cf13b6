// The first second factor, for people whose organization asks for one before anything else.
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { forgetSessions } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { Sheet } from '../../ui/panel.tsx';
import { useWords } from '../../words/words.tsx';
import { AppCode, EnrollingProblem, RecoveryCodes, useEnrolling } from '../enrolling.tsx';
import { useWorkspace } from '../workspace.tsx';

export function Enrolment() {
  const words = useWords().enrolment;
  const router = useRouter();
  const { api } = useWorkspace();
  const [codes, setCodes] = useState<string[] | null>(null);
  const goOn = () => {
    forgetSessions();
    return router.invalidate();
  };
  const enrolling = useEnrolling({
    begin: (asked) => api.identity.createMfaEnrollment(asked),
    onAdded: (recoveryCodes) => (recoveryCodes ? setCodes(recoveryCodes) : goOn()),
  });
  if (codes)
    return (
      <Sheet title={words.codesTitle}>
        <RecoveryCodes codes={codes} />
        <Button kind="primary" onClick={goOn}>
          {words.kept}
        </Button>
      </Sheet>
    );
  return (
    <Sheet title={words.title}>
      <p>{words.why}</p>
      <EnrollingProblem enrolling={enrolling} />
      {enrolling.app ? (
        <AppCode enrolling={enrolling} />
      ) : (
        <div className="grid gap-2">
          <Button
            kind="primary"
            busy={enrolling.busy}
            onClick={() => enrolling.start({ method: 'WEBAUTHN', displayName: words.passkeyName })}
          >
            {words.passkey}
          </Button>
          <Button
            busy={enrolling.busy}
            onClick={() => enrolling.start({ method: 'TOTP', displayName: words.appName })}
          >
            {words.app}
          </Button>
        </div>
      )}
    </Sheet>
  );
}
