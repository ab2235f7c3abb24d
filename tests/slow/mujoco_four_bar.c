/* SPDX-License-Identifier: Apache-2.0 */
/* mujoco_four_bar MODEL.xml: the force in the loop at rest (x, z), and by how much it opens in ten seconds, as one line. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>

static void end_of(const mjModel* model, const mjData* data, const char* body, double length, double* out) {
  const int b = mj_name2id(model, mjOBJ_BODY, body);
  for (int i = 0; i < 3; ++i) out[i] = data->xpos[3 * b + i] + length * data->xmat[9 * b + 3 * i];
}

int main(int count, char** arguments) {
  char problem[500] = "";
  mjModel* model = count == 2 ? mj_loadXML(arguments[1], NULL, problem, sizeof problem) : NULL;
  if (model == NULL) {
    fprintf(stderr, "%s\n", problem);
    return 1;
  }
  mjData* data = mj_makeData(model);
  mj_forward(model, data);
  const double x = data->efc_force[0], z = data->efc_force[2];
  double widest = 0;
  while (data->time < 10) {
    double coupler[3], rocker[3], square = 0;
    mj_step(model, data);
    end_of(model, data, "coupler", 0.5, coupler);
    end_of(model, data, "rocker", 0.4, rocker);
    for (int i = 0; i < 3; ++i) square += (coupler[i] - rocker[i]) * (coupler[i] - rocker[i]);
    widest = fmax(widest, sqrt(square));
  }
  printf("%d %.17g %.17g %.17g\n", model->nv, x, z, widest);
  return 0;
}
