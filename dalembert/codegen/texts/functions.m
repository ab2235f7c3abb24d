% SPDX-License-Identifier: Apache-2.0
% The functions in MATLAB and Octave that do not depend on the model.
1;

%: kMatlabFunctions

% Functions that return NaN where those of MATLAB return complex numbers.
function y = real_sqrt(x)
  y = NaN;
  if x >= 0, y = sqrt(x); end
end
function y = real_log(x)
  y = NaN;
  if x >= 0, y = log(x); end
end
function y = real_asin(x)
  y = NaN;
  if abs(x) <= 1, y = asin(x); end
end
function y = real_acos(x)
  y = NaN;
  if abs(x) <= 1, y = acos(x); end
end
function z = real_pow(x, y)
  z = x ^ y;
  if ~isreal(z), z = NaN; end
end
