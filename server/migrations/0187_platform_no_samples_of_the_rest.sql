-- What else holds something of a contact, sealed or as a hash or by mention, is not sampled either (see 0184).
call without_samples('approvals', 'request');
call without_samples('contact_file_parts', 'body');
call without_samples('erased_opt_outs', 'hash');
call without_samples('idempotency_keys', 'key', 'fingerprint', 'body');
call without_samples('media', 'sha256', 'provider_sha256');
call without_samples('media_files', 'sha256');
call without_samples('operation_children', 'ref');
call without_samples('opt_in_counters', 'subject');
call without_samples('opt_in_submissions', 'answer');
call without_samples('platform_audit_entries', 'payload');
call without_samples('provider_callback_work', 'note');
call without_samples('provider_changes', 'key');
call without_samples('suppressions', 'mirror_failure');
call without_samples('webhook_attempts', 'reason');
