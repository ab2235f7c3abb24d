% SPDX-License-Identifier: Apache-2.0
% Functions by which self-tests in MATLAB and Octave compare results.
1;

%: kMatlabSelftest

function x = fill(count)
  i = (0:count - 1)';
  x = mod(37 * i + 5, 101) / 101.0 - 0.5;
end

function r = check(r, what, out, status, expected)
  if status >= 0
    r(1) = r(1) + 1;
    if out{end} ~= status
      r(2) = r(2) + 1;
      fprintf('%s: status %d instead of %d\n', what, out{end}, status);
      return
    end
  end
  for k = 1:size(expected, 1)
    array = out{expected{k, 1}}.';
    array = array(1:expected{k, 3}:end);
    values = expected{k, 5};
    for i = 1:numel(values)
      r(1) = r(1) + 1;
      allowed = expected{k, 4};
      if numel(allowed) > 1
        allowed = allowed(i);
      end
      if ~(abs(array(i) - values(i)) <= allowed)
        r(2) = r(2) + 1;
        fprintf('%s: %s entry %d = %.17g instead of %.17g, allowed are %g\n', what, expected{k, 2}, i, array(i), values(i), ...
          allowed);
      end
    end
  end
end
